import type { Config } from '../../policy/config.ts'
import type { Denied } from '../../policy/denial.ts'
import type { Role } from '../../wire/admin/role.ts'
import type { AnyDenial } from '../../wire/errors/codes.ts'
import type { HttpCall } from './call.ts'
import type { App, Endpoint } from './endpoint.ts'

/** All that one listener serves, and how it knows its callers. */
export type EndpointFamily = ClientFamily | OperatorFamily

export type ClientEndpoint = Extract<Endpoint, { readonly who: 'anyone' | 'caller' | 'signed-in' }>
export type OperatorEndpoint = Extract<Endpoint, { readonly who: 'operator' | 'scraper' }>

/** Clients prove who they are by a key or a sign-in. Pages of other origins may read what they are answered. */
export interface ClientFamily {
  readonly of: 'clients'
  readonly endpoints: readonly ClientEndpoint[]
  /** Rows for the paths that the files pass through. */
  readonly passedThrough: (config: Pick<Config, 'passthrough'>) => readonly ClientEndpoint[]
  /** Headers of every answer. */
  readonly openToPages: (brand: string) => Readonly<Record<string, string>>
  /** Answers a page that asks what it may send to a path with these methods. */
  readonly preflight: (call: HttpCall, methods: readonly string[]) => void
}

/** No page of another origin may reach what operators may. */
export interface OperatorFamily {
  readonly of: 'operators'
  readonly endpoints: readonly (OperatorEndpoint | Extract<Endpoint, { readonly who: 'anyone' }>)[]
  readonly operatorFor: (
    app: App,
    call: HttpCall,
    endpoint: Extract<Endpoint, { readonly who: 'operator' }>,
  ) => Promise<{ readonly by: string; readonly role: Role } | Denied<AnyDenial>>
  /** Why metrics may not be read; undefined where they may. */
  readonly scraperOf: (app: App, call: HttpCall) => Promise<Denied | undefined>
}

/** The rows of a family, and those that the files add. */
export const endpointsOf = ({ config }: Pick<App, 'config'>, family: EndpointFamily): readonly Endpoint[] =>
  family.of === 'clients' ? [...family.endpoints, ...family.passedThrough(config)] : family.endpoints
