import { afterEach, beforeEach } from 'vitest'
import { startPassing } from '../../http/passthrough/fixture.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import type { TestGateway } from '../../support/gateway.ts'

/** A gateway that passes audio through to one backend. */
export interface AudioRig {
  readonly backend: Backend
  readonly test: TestGateway
  readonly baseURL: string
  readonly key: string
}

/** Starts one for each test of the suite around it. */
export function useAudioRig(): AudioRig {
  let backend: Backend
  let test: TestGateway
  let key: string

  beforeEach(async () => {
    backend = await startBackend()
    test = await startPassing({ onprem: [backend] })
    key = await test.key('pro')
  })

  afterEach(async () => {
    await test.close()
    await backend.close()
  })

  return {
    get backend() {
      return backend
    },
    get test() {
      return test
    },
    get baseURL() {
      return `${test.url}/v1`
    },
    get key() {
      return key
    },
  }
}
