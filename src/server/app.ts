import type { OperatorApp } from '../http/admin/operator-app.ts'
import type { ClientApp } from '../http/public/client-app.ts'
import type { Snapshot } from './snapshots.ts'

/** App of a worker, which answers clients. */
export type WorkerApp = ClientApp & Snapshot

/** App of main, which answers operators. */
export type MainApp = OperatorApp & Snapshot

/** App of a process that answers both. */
export type App = WorkerApp & MainApp

/** The parts made once and shared by every snapshot. */
export type WorkerProcess = Omit<WorkerApp, keyof Snapshot>
export type MainProcess = Omit<MainApp, keyof Snapshot>
export type SingleProcess = WorkerProcess & MainProcess
