import { fileURLToPath } from 'node:url'
import { endChild, listening, startChild } from '../child.ts'

/** The identity provider of the demo, a process of its own. */
export interface DemoIdentity {
  readonly issuer: string
  readonly pid: number
  close(): Promise<void>
}

const SCRIPT = fileURLToPath(new URL('../identity-main.js', import.meta.url))

/** Starts the provider, whose tokens are for `audience`, and waits until it listens. Rejects, leaving none behind, if it does not. */
export async function launchIdentity(audience: string, script = SCRIPT): Promise<DemoIdentity> {
  const child = startChild(script, ['--audience', audience])
  const close = () => endChild(child)
  try {
    const { port, pid } = await listening('identity provider', child)
    return { issuer: `http://127.0.0.1:${port}`, pid, close }
  } catch (error) {
    await close()
    throw error
  }
}
