import { startPassing } from '../../http/passthrough/fixture.ts'
import { type Rig, useGateway } from './rig.ts'

/** A gateway that passes audio through to one backend, for each test of the suite around it. */
export const useAudioRig = (): Rig => useGateway(backend => startPassing({ onprem: [backend] }))
