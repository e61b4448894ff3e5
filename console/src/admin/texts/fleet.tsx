import type { ComponentChildren } from 'preact'
import { plural } from '../../shared/fmt.ts'

export const findAGateway = 'Find a gateway'
export const fleet = 'Fleet'
export const theGatewaysOnOne =
  'The gateways on one store. Each reports every second, and a dead one disappears after ten.'
export const noGatewayIsCalled = 'No gateway matches.'
export const gateways = 'Gateways'
export const gateway = 'Gateway'
export const revision = 'Revision'
export const version = 'Version'
export const inFlight = 'In flight'
export const since = 'Since'
export const adminListener = 'Admin listener'
export const thisOne = 'this one'
export const versionAndSince = (version: ComponentChildren, since: ComponentChildren) => (
  <>
    {version} · started {since}
  </>
)
export const gatewaysServeDifferentRevisions = 'Gateways serve different revisions.'
export const theyDifferIn = (sections: string) => `They differ in ${sections}.`
export const gatewaysHaveDifferentVersions = 'Gateways have different versions.'
export const theSameRequestMay = (
  <>
    Two gateways may answer the same request differently. <code>svcctl reload</code> makes one read its files again, and{' '}
    <code>svcctl apply --all</code> changes all of them or none.
  </>
)
export const anUpgrade = 'This is normal during an upgrade. If none is in progress, upgrade the remaining gateways.'
export const on = (value: ComponentChildren, value2: ComponentChildren) => (
  <>
    <code>{value}</code> on <bdi>{value2}</bdi>
  </>
)
export const anEmbeddedStoreBelongs = 'An embedded store belongs to one gateway. Gateways on one Redis are a fleet.'
export const noOtherGateway = 'No other gateway is on this Redis now.'
export const sum = (length: string | number, inFlight: string | number) => `${length}, ${inFlight} in flight.`
export const gatewayCount = (n: number) => plural(n, 'gateway')
export const requestCount = (n: number) => plural(n, 'request')

export const processes = 'Processes of this gateway'
export const process = 'Process'
export const names = { main: 'Main', worker: 'Worker', store: 'Store' } as const
export const workerOf = (worker: string | number) => `Worker ${worker}`
export const state = 'State'
export const states = { starting: 'Starting', serving: 'Serving', silent: 'Does not answer', gone: 'Ended' } as const
export const pid = 'PID'
export const connections = 'Connections'
export const cpu = 'CPU'
export const memory = 'Memory'
export const lag = 'Event loop delay'
export const restarts = 'Restarts'
export const megabytes = (value: string | number) => `${value} MB`
export const ms = (value: string | number) => `${value} ms`
export const allGateways = 'All gateways'
