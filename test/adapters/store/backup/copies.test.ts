import { describe } from 'vitest'
import { useCluster } from '../../../support/redis/cluster.ts'
import { describeRedis, useRedis } from '../../../support/redis/redis.ts'
import { guestsContract } from '../aspects/guests.ts'
import { rulesContract } from '../aspects/limits/rules.ts'
import { sharedContract } from '../aspects/limits/shared.ts'
import { modelContract } from '../aspects/model.ts'
import { orgsContract } from '../aspects/orgs.ts'
import { responsesContract } from '../aspects/responses.ts'
import { startOf } from '../contract.ts'
import { openCopiedSubject } from './copied-subject.ts'

const noRedis = () => {
  throw new Error('no Redis is needed here')
}

/** A copy is made once after all of them: the stores themselves play more. */
const SEQUENCES = 15

// The guarantees of every store, checked on one that is restored from a backup of itself each time it is opened.

describe('an embedded store that is copied', () => {
  const start = startOf(now => openCopiedSubject(noRedis, now, ['embedded']))

  describe('kept responses', () => responsesContract(start))
  describe('any order', () => modelContract(start, SEQUENCES))
})

describeRedis('with Redis', () => {
  const server = useRedis()
  const copied = startOf(now => openCopiedSubject(() => server().url, now, ['redis']))
  const moved = startOf(now => openCopiedSubject(() => server().url, now, ['embedded', 'redis']))

  describe('a store that is copied', () => modelContract(copied, SEQUENCES))
  describe('a store that is copied into the other kind', () => {
    describe('orgs', () => orgsContract(moved))
    describe('guests', () => guestsContract(moved))
    describe('rules', () => rulesContract(moved))
    describe('any order', () => modelContract(moved, SEQUENCES))
  })
})

describeRedis('with a Redis Cluster', () => {
  const cluster = useCluster()
  const url = () => cluster().url
  const copied = startOf(now => openCopiedSubject(url, now, ['redis']))
  const moved = startOf(now => openCopiedSubject(url, now, ['embedded', 'redis']))

  describe('a store that is copied', () => {
    describe('what guests share', () => sharedContract(copied))
    describe('rules', () => rulesContract(copied))
    describe('any order', () => modelContract(copied, SEQUENCES))
  })
  describe('a store that is copied into the other kind', () => {
    describe('orgs', () => orgsContract(moved))
    describe('guests', () => guestsContract(moved))
  })
})
