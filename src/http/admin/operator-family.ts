import type { Role } from '../../wire/admin/role.ts'
import { serveAnyone } from '../listener/anyone.ts'
import type { HttpCall } from '../listener/call.ts'
import type { Endpoint, OpenEndpoint } from '../listener/endpoint.ts'
import type { EndpointFamily, FamilyView, Matched } from '../listener/family.ts'
import { type KnownOperator, operatorFor, scraperOf } from './operator.ts'
import type { OperatorApp } from './operator-app.ts'

/** A row of the admin listener. */
export type AdminEndpoint = OpenEndpoint<OperatorApp> | ScraperEndpoint | OperatorEndpoint

/** A client that may read metrics. */
interface ScraperEndpoint extends Endpoint {
  readonly who: 'scraper'
  readonly run: (app: OperatorApp, call: HttpCall) => Promise<void>
}

/** An operator whose role is this one, or may do more; `by` is the operator, for the audit, and `operator` how they came in. */
export interface OperatorEndpoint extends Endpoint {
  readonly who: 'operator'
  readonly needs: Role
  readonly run: (app: OperatorApp, call: HttpCall, by: string, id: string, operator: KnownOperator) => Promise<void>
}

export type OperatorFamily = EndpointFamily<OperatorApp, AdminEndpoint>

/** Operators prove who they are by a token, a session, a sign-in or a certificate. No page of another origin may reach what they may. */
export const familyOfOperators = (endpoints: readonly AdminEndpoint[]): OperatorFamily => ({
  of: 'operators',
  endpoints,
  answer,
  unrouted: (_view, call, denial) => call.deny(denial),
})

async function answer(
  view: FamilyView<OperatorApp>,
  call: HttpCall,
  { endpoint, id }: Matched<AdminEndpoint>,
): Promise<void> {
  const { app } = view
  switch (endpoint.who) {
    case 'anyone':
      return serveAnyone(view, call, { endpoint, id })
    case 'scraper': {
      const denied = await scraperOf(app, call)
      return denied ? call.deny(denied.denial) : endpoint.run(app, call)
    }
    case 'operator': {
      const operator = await operatorFor(app, call, endpoint)
      if ('denial' in operator) return call.deny(operator.denial)
      return endpoint.run(app, call, operator.by, id, operator)
    }
  }
}
