import { gatewayTestWith } from '../../support/gateway-test.ts'
import { SocketBackend } from '../../support/socket-backend.ts'
import { startLive } from './fixture.ts'

/** A test of a gateway with routes that speak WebSocket, as its backend does. */
export const liveTest = gatewayTestWith(SocketBackend.start, startLive)
