import { it } from 'vitest'
import { floodBesideSmall } from './crowd.ts'

it('beside an account with 120 requests whose clients leave, 20 with one wait at most a service time more than alone; money is exact', () =>
  floodBesideSmall(120))
