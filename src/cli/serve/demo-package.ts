import { CommandFailed } from '../../server/failure.ts'
import { version } from '../../server/version.ts'

/**
 * The package of the demo, installed beside this one: `npm ci` of a clone does it. Rejects with CommandFailed where it is not
 * there. It is never fetched by its name, which somebody else may own in the registry that npm asks.
 */
export async function demoPackage(): Promise<typeof import('svc-gateway-demo')> {
  try {
    return await import('svc-gateway-demo')
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing) throw error
    throw new CommandFailed(`✗ The demo is a separate package, which is not installed.
  In a clone:         npm ci && npm start
  From a release:     npm install ./svc-gateway-${version}.tgz ./svc-gateway-demo-${version}.tgz
                      npx --no svcctl serve --demo
  Your own instead:   svcctl init && svcctl serve`)
  }
}
