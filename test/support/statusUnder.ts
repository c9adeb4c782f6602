import { request } from 'node:http'

/** The status of an answer to a request that names the server so: fetch would write a Host of its own. */
export function statusUnder(host: string, url: string, method = 'GET'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers: { host }, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asked.on('error', reject).end()
  })
}
