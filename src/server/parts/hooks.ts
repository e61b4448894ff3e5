import type { Registry } from 'prom-client'
import type { Loaded } from '../../config/settings.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { Log } from '../../http/log-entry.ts'
import type { ShownPast } from '../../wire/admin/past.ts'
import type { FilesOf } from '../changes.ts'
import type { MachineHooks } from './machine.ts'

/** Hooks of every process of a gateway. */
export interface ProcessHooks extends MachineHooks {
  readonly log: Log
  readonly alarm: Alarm
  /** Redacts secrets in a text. */
  readonly clean?: (text: string) => string
  /** Lines of the log that could not be written. */
  readonly droppedLines?: () => number
}

/** Hooks of the gateway process that answers operators. */
export interface GatewayHooks extends ProcessHooks, FilesOf {
  /** The operators' bearer token if the files have none. */
  readonly adminToken: string
  /** Writes the token where operators find it, once both listeners are open. If it throws, the gateway does not start. */
  readonly leaveToken?: (token: string) => void
  /** Writes a changed token where operators find it, after a reload read it from the files. */
  readonly keepToken?: (token: string) => void
  /** Decides a line of the decision log again. Without it, past requests are not explained. */
  readonly explain?: (serving: Pick<Loaded, 'config' | 'settings'>, line: string) => Promise<ShownPast | undefined>
  /** True if the operator wants a new store instead of the missing one. */
  readonly newStore?: boolean
  /** The gateway's name if several run in one process. */
  readonly name?: string
  /** Prints the effects of reloads. */
  readonly say?: (text: string) => void
  /** Metrics of the whole process, in addition to the gateway's. */
  readonly processMetrics?: Registry
}
