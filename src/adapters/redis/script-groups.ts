import { type CallOf, type Client, canGroup, type Reply, runGroup, runScript, type ScriptName } from './client.ts'

/**
 * Runs scripts. Admissions of one turn of the event loop travel as one call and run one after the other in one step, and so do
 * settlements: Redis then prepares the script, reads its clock and counts for an account once in place of once for each. Each
 * call gets the answer that it would get alone.
 */
export class ScriptGroups {
  readonly #isCluster: boolean
  /** Groups by script (in a cluster by script and bucket), for each client. */
  readonly #waiting = new WeakMap<Client, Map<string, Group>>()

  /** In a cluster a call may only have keys of one slot: those of a bucket. */
  constructor({ isCluster }: { readonly isCluster: boolean }) {
    this.#isCluster = isCluster
  }

  /** The first key is the epoch of the bucket that the call is about. */
  run(client: Client, name: ScriptName, keys: readonly string[], values: CallOf['values']): Promise<Reply> {
    if (!canGroup(name)) return runScript(client, name, keys, values)
    return new Promise((resolve, reject) => {
      this.#groupOf(client, name, keys[0] ?? '').calls.push({ keys, values, resolve, reject })
    })
  }

  #groupOf(client: Client, name: ScriptName, bucket: string): Group {
    let groups = this.#waiting.get(client)
    if (!groups) {
      groups = new Map()
      this.#waiting.set(client, groups)
      // After the other requests of this turn.
      process.nextTick(() => this.#send(client))
    }
    const place = this.#isCluster ? `${name} ${bucket}` : name
    const group = groups.get(place)
    if (group && group.calls.length < MOST_CALLS) return group
    if (group) void send(client, group)
    const next = { name, calls: [] }
    groups.set(place, next)
    return next
  }

  #send(client: Client): void {
    const groups = this.#waiting.get(client)
    this.#waiting.delete(client)
    for (const group of groups?.values() ?? []) void send(client, group)
  }
}

/** Redis serves nobody else while it runs a group: that should stay near a millisecond. */
const MOST_CALLS = 32

interface Group {
  readonly name: ScriptName
  readonly calls: Waiting[]
}

interface Waiting extends CallOf {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
}

async function send(client: Client, { name, calls }: Group): Promise<void> {
  try {
    const replies = await repliesTo(client, name, calls)
    for (const [place, { resolve, reject }] of calls.entries()) {
      const reply =
        replies[place] ?? new Error(`a group of ${name} answered ${replies.length} of ${calls.length} calls`)
      if (reply instanceof Error) reject(reply)
      else resolve(reply)
    }
  } catch (error) {
    for (const { reject } of calls) reject(error)
  }
}

async function repliesTo(
  client: Client,
  name: ScriptName,
  calls: readonly CallOf[],
): Promise<readonly (Reply | Error)[]> {
  const [first, ...more] = calls
  if (!first || more.length > 0) return runGroup(client, name, calls)
  return [await runScript(client, name, first.keys, first.values)]
}
