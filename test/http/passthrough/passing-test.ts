import { ByteBackend } from '../../support/bytes.ts'
import { gatewayTestWith } from '../../support/gateway-test.ts'
import { startPassing } from './fixture.ts'

/** A test of a gateway with passthrough routes, whose backend takes bodies of any kind. */
export const passingTest = gatewayTestWith(ByteBackend.start, startPassing)
