// node:zlib for tests in a browser.
export { gunzipSync } from 'fflate'
