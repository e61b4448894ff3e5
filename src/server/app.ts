import type { OperatorApp } from '../http/admin/operator-app.ts'
import type { ClientApp } from '../http/public/client-app.ts'
import type { Snapshot } from './snapshots.ts'

/** What a process serves that answers clients and operators. */
export type App = ClientApp & OperatorApp

/** What of it is made once, and the same in every snapshot. */
export type Process = Omit<App, keyof Snapshot>
