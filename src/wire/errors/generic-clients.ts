import type { Headers } from '../openai/signals.ts'

/** Headers that the form of an error depends on where the client decides, as `vary` names them. */
export const TELLING_HEADERS = ['x-stainless-lang', 'x-promptfoo-version', 'user-agent'] as const

/**
 * Whether a request comes from a generic HTTP library, a browser, or software that does not name itself: who writes such
 * a client reads the specification, where an error is a text. SDKs and agents read an error only where it is an object,
 * and so may any product that is not known here.
 */
export function isGenericClient(headers: Headers): boolean {
  // Sent by the SDKs of OpenAI in every language, and by promptfoo, whose user agent is that of node.
  if (headers['x-stainless-lang'] !== undefined || headers['x-promptfoo-version'] !== undefined) return false
  const agent = headers['user-agent']
  return typeof agent !== 'string' || productsIn(agent.slice(0, MOST_CHARACTERS)).every(name => GENERIC.has(name))
}

/** More of a user agent is not looked at. */
const MOST_CHARACTERS = 512

/** Names of products, in small letters: without comments, versions, and what stands for a version. */
const productsIn = (agent: string): readonly string[] =>
  agent
    .replace(/\([^()]*\)?/g, ' ')
    .toLowerCase()
    .split(/[\s,;]+/)
    .flatMap(product => product.split('/', 1)[0] ?? '')
    .filter(name => name !== '' && !/^v?\d/.test(name))

const names = (text: string): readonly string[] => text.split(/\s+/)

/** The names of HTTP libraries, command lines and browsers. */
const GENERIC: ReadonlySet<string> = new Set([
  ...names('curl libcurl pycurl wget httpie postmanruntime insomnia hurl bruno-runtime'),
  ...names('node node.js undici node-fetch axios got superagent needle deno bun'),
  ...names('python python-requests python-httpx python-urllib python-urllib3 aiohttp httpx requests urllib3 cpython'),
  ...names('go-http-client resty fasthttp okhttp java java-http-client apache-httpclient jetty ktor-client'),
  ...names('reqwest hyper ureq ruby faraday guzzlehttp php dart restsharp cfnetwork darwin'),
  ...names('mozilla applewebkit chrome headlesschrome safari mobile version gecko firefox edg opr'),
])
