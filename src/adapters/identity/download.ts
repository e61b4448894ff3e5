import { request } from 'undici'

/** Key sets with certificate chains of dozens of keys stay below. */
const BYTES_MAX = 512 * 1024

/** Hears the headers of each answer. */
export type OnHeaders = (headers: Readonly<Record<string, string | string[] | undefined>>) => void

/** A JSON document by GET. Rejects on anything but a 200, redirects included, and on more than 512 KB. */
export async function download(url: URL, signal: AbortSignal, onHeaders: OnHeaders = () => {}): Promise<unknown> {
  const { statusCode, headers, body } = await request(url, {
    signal,
    headers: { accept: 'application/json, application/jwk-set+json' },
    // One request in ten minutes: a kept connection would only be found dead.
    reset: true,
  })
  // To let go of a body that is still to come is told as an error of it, which nobody else would hear.
  body.on('error', () => {})
  onHeaders(headers)
  if (statusCode !== 200) {
    body.destroy()
    throw new Error(`${url.href} answered ${statusCode}`)
  }
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length
    // Leaving the loop destroys the body.
    if (length > BYTES_MAX) throw new Error(`${url.href} is larger than ${BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch (cause) {
    throw new Error(`${url.href} is not JSON`, { cause })
  }
}
