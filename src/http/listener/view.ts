import type { ListenerSettings } from '../../config/settings.ts'
import { identifyWith } from '../../gateway/accounts/identify.ts'
import type { Denied } from '../../policy/denial.ts'
import type { FormSetting } from '../../wire/chosen-form.ts'
import { errorTermsOf } from '../../wire/errors/denial.ts'
import type { ErrorTerms } from '../../wire/errors/texts.ts'
import type { ListenerApp } from './app.ts'
import { type ClientAddresses, clientAddresses } from './client-address.ts'
import type { Endpoint } from './endpoint.ts'
import { type EndpointFamily, endpointsOf, type FamilyView, type Matched } from './family.ts'
import { missingPath, pathElsewhere } from './missing-path.ts'

/** A listener's view of a snapshot, made once. */
export interface ListenerView<App extends ListenerApp, Row extends Endpoint> extends FamilyView<App> {
  readonly family: EndpointFamily<App, Row>
  readonly route: (method: string, path: string) => Match<Row>
  /** Whether clients open WebSockets at a path. */
  readonly opens: (path: string) => boolean
  readonly terms: ErrorTerms
  readonly errorForm: FormSetting
  readonly addresses: ClientAddresses
  /** For operators, who are few, and must get in when clients are too many. */
  readonly uncounted: ListenerSettings
  /** Headers of every answer: names and values by turns. */
  readonly always: readonly string[]
}

/** The view of each snapshot on a family of endpoints; the view of the last snapshot is kept. */
export function listenerViews<App extends ListenerApp, Row extends Endpoint>(
  family: EndpointFamily<App, Row>,
): (app: App) => ListenerView<App, Row> {
  let last: ListenerView<App, Row> | undefined
  return app => {
    if (last?.app !== app) last = viewOf(app, family)
    return last
  }
}

function viewOf<App extends ListenerApp, Row extends Endpoint>(
  app: App,
  family: EndpointFamily<App, Row>,
): ListenerView<App, Row> {
  const { server, listener } = app.settings
  const isPublic = family.of === 'clients'
  return {
    app,
    family,
    route: router(endpointsOf(app, family), app.config.defaultModel.name),
    opens: path => isPublic && app.config.passthrough.get(path)?.upgrade !== undefined,
    terms: errorTermsOf(app.settings),
    // Operators have tools of their own.
    errorForm: isPublic ? app.settings.errors.form : 'spec',
    addresses: clientAddresses(server.trustedProxies),
    identify: identifyWith(app),
    uncounted: { ...listener, connections: Number.POSITIVE_INFINITY, connectionsPerAddress: Number.POSITIVE_INFINITY },
    always: Object.entries(family.headers?.(app) ?? {}).flat(),
  }
}

export type Match<Row> = Matched<Row> | Denied

const PARAMETER = '{id}'

/**
 * Finds endpoints by the raw path: nothing is decoded or normalised, so that no two readings of a path differ.
 * `model` is the one that a 404 suggests.
 */
function router<Row extends Endpoint>(
  endpoints: readonly Row[],
  model: string,
): (method: string, path: string) => Match<Row> {
  const exact = new Map<string, Match<Row>>()
  for (const endpoint of endpoints) {
    const name = `${endpoint.method} ${endpoint.path}`
    if (!endpoint.path.includes(PARAMETER) && !exact.has(name)) exact.set(name, { endpoint, id: '' })
  }
  return (method, path) => exact.get(`${method} ${path}`) ?? search(endpoints, model, method, path)
}

function search<Row extends Endpoint>(
  endpoints: readonly Row[],
  model: string,
  method: string,
  path: string,
): Match<Row> {
  const fitting = endpoints.filter(endpoint => parameterOf(endpoint, path) !== undefined)
  const exact = fitting.filter(endpoint => endpoint.path === path)
  const here = exact.length > 0 ? exact : fitting
  // RFC 9110 9.3.2: HEAD is GET without the body, which node leaves out.
  const isHead = method === 'HEAD'
  const endpoint = here.find(candidate => candidate.method === (isHead ? 'GET' : method) && !(isHead && candidate.paid))
  if (endpoint) return { endpoint, id: parameterOf(endpoint, path) ?? '' }
  // Some of them look like the id of something that is served.
  const elsewhere = exact.length > 0 ? undefined : pathElsewhere(path, model)
  if (elsewhere !== undefined) return { denial: { code: 'NOT_FOUND', problem: elsewhere } }
  if (here.length > 0) return { denial: { code: 'METHOD_NOT_ALLOWED', allow: here.map(candidate => candidate.method) } }
  const isServed = (other: string) => endpoints.some(candidate => parameterOf(candidate, other) !== undefined)
  return { denial: { code: 'NOT_FOUND', problem: missingPath(path, model, isServed) } }
}

/** The value of `{id}`, empty when the pattern has none; undefined when the path does not match. */
function parameterOf({ path: pattern, slashes }: Endpoint, path: string): string | undefined {
  const at = pattern.indexOf(PARAMETER)
  if (at === -1) return pattern === path ? '' : undefined
  const [prefix, suffix] = [pattern.slice(0, at), pattern.slice(at + PARAMETER.length)]
  const fits = path.startsWith(prefix) && path.endsWith(suffix)
  const id = fits ? path.slice(prefix.length, path.length - suffix.length) : ''
  return id !== '' && (slashes || !id.includes('/')) ? id : undefined
}
