import { describe } from 'vitest'
import { times } from '../../support/times.ts'
import { differentialContract } from './aspects/differential.ts'
import { openEmbeddedSubject } from './aspects/subjects.ts'
import { startOf } from './contract.ts'

describe('the embedded store', () => differentialContract(startOf(openEmbeddedSubject), times(6000)))
