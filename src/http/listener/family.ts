import type { Identify } from '../../gateway/accounts/identify.ts'
import type { AnyDenial } from '../../wire/errors/codes.ts'
import type { ListenerApp } from './app.ts'
import type { HttpCall } from './call.ts'
import type { Endpoint } from './endpoint.ts'

/** All that one listener serves, and how it knows its callers. The listener itself knows no endpoint. */
export interface EndpointFamily<App extends ListenerApp, Row extends Endpoint> {
  /** Clients are counted, shed, and answered in the form of their SDK; operators must get in when clients are too many. */
  readonly of: 'clients' | 'operators'
  readonly endpoints: readonly Row[]
  /** Rows that the files add. */
  readonly added?: (app: App) => readonly Row[]
  /** Headers of every answer. */
  readonly headers?: (app: App) => Readonly<Record<string, string>>
  /** Runs an endpoint for those who may call it, and refuses all others. */
  readonly answer: (view: FamilyView<App>, call: HttpCall, match: Matched<Row>) => Promise<void> | void
  /** Answers what reaches no endpoint. */
  readonly unrouted: (view: FamilyView<App>, call: HttpCall, denial: AnyDenial) => Promise<void> | void
}

/** A family's view of a snapshot. */
export interface FamilyView<App extends ListenerApp> {
  readonly app: App
  /** Identifies clients, by the configuration of the snapshot. */
  readonly identify: Identify
}

/** An endpoint that a path reached, with what stands for `{id}` in it. */
export interface Matched<Row> {
  readonly endpoint: Row
  readonly id: string
}

/** The rows of a family, and those that the files add. */
export const endpointsOf = <App extends ListenerApp, Row extends Endpoint>(
  app: App,
  { endpoints, added }: Pick<EndpointFamily<App, Row>, 'endpoints' | 'added'>,
): readonly Row[] => (added ? [...endpoints, ...added(app)] : endpoints)
