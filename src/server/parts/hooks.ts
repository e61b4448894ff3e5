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
  /** Leaves secrets out of texts. */
  readonly clean?: (text: string) => string
  /** Lines of the log that could not be written. */
  readonly droppedLines?: () => number
}

/** Hooks of the gateway process that answers operators. */
export interface GatewayHooks extends ProcessHooks, FilesOf {
  /** Bearer token of operators, where the files have none. */
  readonly adminToken: string
  /** Leaves the token for operators, once both listeners are there. Where it throws, the gateway does not start. */
  readonly leaveToken?: (token: string) => void
  /** Leaves another token for operators, once a reload has taken it from the files. */
  readonly keepToken?: (token: string) => void
  /** Decides a line of the decision log again; without it none is explained. */
  readonly explain?: (serving: Pick<Loaded, 'config' | 'settings'>, line: string) => Promise<ShownPast | undefined>
  /** True if the operator wants a new store instead of the missing one. */
  readonly newStore?: boolean
  /** Name of the process, where one process has several gateways. */
  readonly name?: string
  /** Prints what reloads did. */
  readonly say?: (text: string) => void
  /** Metrics of the whole process, in addition to the gateway's. */
  readonly processMetrics?: Registry
}
