import type { ConsoleBoot } from '../../../src/wire/console/boot.ts'

/** What the page was given by the gateway. */
export const boot: ConsoleBoot = readBoot()

/** The path of the console: `/console`, or more behind a proxy. */
export const prefix = new URL(boot.console_url).pathname

function readBoot(): ConsoleBoot {
  const content = document.querySelector<HTMLMetaElement>('meta[name="boot"]')?.content ?? ''
  return content.startsWith('{') ? JSON.parse(content) : DEVELOPMENT
}

/** Where vite serves the page itself. */
const DEVELOPMENT: ConsoleBoot = {
  brand: 'svc',
  build: '',
  public_url: location.origin,
  console_url: `${location.origin}/console`,
  issuer: null,
  client_id: null,
  resource: null,
  topup: null,
  contact: null,
  default_model: 'svc-auto',
}
