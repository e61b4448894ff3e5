import { describe, expect, it } from 'vitest'
import { shownPool } from '../../src/cli/show/shown-settings.ts'
import { comparePools } from '../../src/config/diff/pools.ts'
import { POOL_WORDS } from '../../src/config/pool-words.ts'
import type { Loaded } from '../../src/config/settings.ts'
import { loadGood, small } from './files.ts'

/** A value of each setting that is no default, as YAML has it and as `plan` says it. */
const WRITTEN: Readonly<Record<keyof typeof POOL_WORDS, { readonly yaml: string; readonly planned: string }>> = {
  site: { yaml: 'elsewhere', planned: 'elsewhere' },
  model: { yaml: 'another', planned: 'another' },
  speaks: { yaml: '[responses]', planned: 'responses' },
  providerTools: { yaml: '[web_search]', planned: 'web_search' },
  unknownFields: { yaml: 'drop', planned: 'drop' },
  fetches: { yaml: 'true', planned: 'true' },
  passes: { yaml: '[top_k]', planned: 'top_k' },
  caps: { yaml: 'max_completion_tokens', planned: 'max_completion_tokens' },
  fetch: { yaml: 'whole', planned: 'whole' },
  balance: { yaml: 'session', planned: 'session' },
  caches: { yaml: 'pool', planned: 'pool' },
  slotsOver: { yaml: 'store', planned: 'store' },
}

const ROWS = Object.entries(POOL_WORDS).map(([member, row]) => ({
  ...row,
  ...{ member, ...WRITTEN[member as keyof typeof WRITTEN] },
}))

const OWN = /\b(site|model): [\w-]+/g

/** Fields that a pool of chats alone may not have. */
const OF_DIALECTS = ['provider_tools', 'unknown_fields', 'fetches', 'passes']
const baseFor = (field: string): string => {
  if (field === 'max_concurrent_over') return small.replace('{ site', '{ max_concurrent: 4, site')
  return OF_DIALECTS.includes(field) ? small.replace('{ site', '{ speaks: [responses], site') : small
}

/** The pool `near` with a field in place of its own of the same name. */
function loadWith(field: string, yaml: string): Loaded {
  return loadGood(
    baseFor(field).replace(/\{[^{}]*site[^}]*\}/, section => {
      const others = section.replace(OWN, (text, name) => (name === field ? `${name}: ${yaml}` : text))
      return others === section ? section.replace('{ ', `{ ${field}: ${yaml}, `) : others
    }),
  )
}

const sideOf = (loaded: Loaded) => ({ loaded, directory: '/' })

describe.each(ROWS)('the pool setting $field', ({ field, member, yaml, planned }) => {
  const load = () => loadWith(field, yaml)

  it('holds as a pool writes it', () => {
    const pool = load().config.pools.get('near')
    expect([pool?.[member as keyof typeof POOL_WORDS]].flat().map(String)).toEqual([planned])
  })

  it('is shown as the files would write it', () => {
    const after = load()
    const [pool, backend] = [after.config.pools.get('near'), after.settings.backends.get('near')]
    const shown = pool && (shownPool(pool, backend, true) as Readonly<Record<string, unknown>>)
    expect([shown?.[field]].flat().map(String)).toEqual([planned])
  })

  it('is planned where it changes', () => {
    const changes = comparePools({
      before: sideOf(loadGood(baseFor(field))),
      after: sideOf(load()),
      isUnknown: () => false,
    })
    expect(changes).toMatchObject([{ field, effect: 'plumbing', text: expect.stringMatching(`→ ${planned}$`) }])
  })
})
