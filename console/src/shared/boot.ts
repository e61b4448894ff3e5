import type { ConsoleBoot } from '../../../src/wire/console/boot.ts'

/** The facts that the gateway gave to the page. */
export const boot: ConsoleBoot = readBoot()

/** Where the console stands, without a slash at the end. */
export const consoleUrl = new URL(boot.console_url, location.href).href

/** The path of it: `/console`, or more behind a proxy. */
export const prefix = new URL(consoleUrl).pathname

function readBoot(): ConsoleBoot {
  const content = document.querySelector<HTMLMetaElement>('meta[name="boot"]')?.content ?? ''
  return content.startsWith('{') ? JSON.parse(content) : DEVELOPMENT
}

/** Where vite serves the page itself. */
const DEVELOPMENT: ConsoleBoot = {
  door: location.pathname === '/admin.html' ? 'admin' : 'public',
  brand: 'svc',
  build: '',
  public_url: location.origin,
  console_url: '/console',
  api_url: '',
  issuer: null,
  client_id: null,
  resource: null,
  topup: null,
  contact: null,
  default_model: 'svc-auto',
}
