import { Door, saysJson } from './door.ts'

/**
 * Starts a scripted HTTP tool on a free loopback port. It answers with `{"ok":true}` what no test says otherwise, by
 * `next` and `always` with the answers of door.ts; what it was asked is in `requests`.
 */
export async function startHttpTool(): Promise<HttpTool> {
  const tool = new HttpTool(saysJson({ ok: true }))
  await tool.open()
  return tool
}

export class HttpTool extends Door {
  /** The URL for clients. */
  get url(): string {
    return `${this.origin}/tool`
  }

  /** The arguments of the calls, as they were sent. */
  get calls(): readonly unknown[] {
    return this.requests.map(({ rawBody }) => JSON.parse(rawBody))
  }
}
