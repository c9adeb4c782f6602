import { type Browser, firefox } from 'playwright-core'

/** What a session of WebDriver BiDi sends to the browser. */
interface Session {
  send(method: string, params: object): Promise<object>
}

/** What stands behind playwright's Browser in this process, as far as it is needed. */
interface Inside {
  readonly _connection: { toImpl(browser: Browser): { readonly _browserSession: Session } }
}

/**
 * Starts Debian's Firefox as it is: playwright drives a Firefox that it did not build over WebDriver BiDi, in the channel
 * `moz-firefox`. It tells every context the scheme of colours by a command that Firefox ESR 153 does not have, and no context is made;
 * that one command is answered here, so that a page has the scheme of the system. Whoever asks for another is refused by openLab.
 */
export async function firefoxOverBidi(): Promise<Browser> {
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath: process.env['TPU_TOOLKIT_FIREFOX'] ?? '/usr/bin/firefox-esr',
    timeout: 60_000,
  })
  const { _connection } = browser as unknown as Inside
  // Of the browser and of every page.
  const session: Session = Object.getPrototypeOf(_connection.toImpl(browser)._browserSession)
  const send = session.send
  session.send = function (method, params) {
    if (method === 'emulation.setMediaFeaturesOverride') return Promise.resolve({})
    return send.call(this, method, params)
  }
  return browser
}
