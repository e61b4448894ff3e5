export { type DemoIdentity, launchIdentity } from './identity/launch.ts'
export { type DemoBackends, launchBackends } from './launch.ts'
export { type DemoTools, launchTools } from './tools/launch.ts'
