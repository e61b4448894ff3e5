import type { OperatorApp } from '../http/admin/operator-app.ts'
import type { ClientApp } from '../http/public/client-app.ts'
import type { Snapshot } from './snapshots.ts'

/** What a worker serves, which answers clients. */
export type WorkerApp = ClientApp & Snapshot

/** What main serves, which answers operators. */
export type MainApp = OperatorApp & Snapshot

/** What a process serves that answers both. */
export type App = WorkerApp & MainApp

/** What of them is made once, and the same in every snapshot. */
export type WorkerProcess = Omit<WorkerApp, keyof Snapshot>
export type MainProcess = Omit<MainApp, keyof Snapshot>
export type SingleProcess = WorkerProcess & MainProcess
