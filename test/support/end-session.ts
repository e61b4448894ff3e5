import { readdirSync, readFileSync } from 'node:fs'
import { eventually } from './eventually.ts'

/**
 * Kills all processes of a session, and resolves once none runs: those of a program that was started `detached`, or of a terminal.
 * A process that began a session of its own is not among them.
 */
export async function endSession(leader: number): Promise<void> {
  await eventually(() => {
    const left = runningIn(leader)
    for (const pid of left) kill(pid)
    if (left.length > 0) throw new Error(`processes of session ${leader} run on: ${left.join(', ')}`)
  })
}

/** Where there is no `/proc`, the leader's group is all that can be told. */
function runningIn(leader: number): readonly number[] {
  let pids: readonly string[]
  try {
    pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  } catch {
    return kill(-leader) ? [-leader] : []
  }
  return pids.filter(pid => isRunningIn(leader, pid)).map(Number)
}

function isRunningIn(leader: number, pid: string): boolean {
  try {
    // The name of the program stands in brackets and may contain spaces: the fields after it are counted from `state`.
    const [state, , , session] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    // A zombie has ended, and waits for a parent that may not care.
    return session === `${leader}` && state !== 'Z' && state !== 'X'
  } catch {
    // It ended meanwhile.
    return false
  }
}

/** Whether there was such a process, or group. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
