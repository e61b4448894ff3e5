import { closeSync, openSync } from 'node:fs'
import type { Millis } from '../policy/config.ts'
import { exitCodes } from './failure.ts'

export interface SignalHandlers {
  /** SIGHUP. */
  readonly reload: () => void
  /** The first SIGTERM or Ctrl-C, or a SIGHUP because the window was closed; to be ended by `exit`. */
  readonly leave: (exit: Exit) => void
  /** The second SIGINT or SIGTERM: cut running requests. */
  readonly cut: () => void
}

/** npm passes on what the terminal has sent to its child as well: one Ctrl-C, two signals. */
const SAME_MS: Millis = 100

/** Handles the signals of this process. */
export function onSignals({ reload, leave, cut }: SignalHandlers): void {
  let windowClosed = false
  const exit: Exit = code => {
    // Die by SIGHUP as other programs do; node's exit would abort without a terminal.
    if (windowClosed) {
      process.removeAllListeners('SIGHUP')
      process.kill(process.pid, 'SIGHUP')
    }
    process.exit(code)
  }
  let ends = 0
  let endedAt = Number.NEGATIVE_INFINITY
  const end = () => {
    if (performance.now() - endedAt < SAME_MS) return
    endedAt = performance.now()
    ends++
    if (ends === 1) leave(exit)
    else if (ends === 2) cut()
    // At a third signal the process ends at once, even if something is lost.
    else exit(exitCodes.bad)
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
  const hadTerminal = hasTerminal()
  process.on('SIGHUP', () => {
    if (!hadTerminal || hasTerminal()) return reload()
    // The terminal is gone, so that no Ctrl-C can stop it.
    windowClosed = true
    end()
  })
}

/** Ends this process with a code. */
export type Exit = (code: number) => never

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r+'))
    return true
  } catch {
    // A process without one, or whose window was closed.
    return false
  }
}
