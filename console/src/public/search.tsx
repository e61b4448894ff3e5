import { useMemo } from 'preact/hooks'
import type { OwnKey } from '../../../src/wire/key.ts'
import type { OwnRequest } from '../../../src/wire/own-request.ts'
import { ask, askOpen } from '../shared/api.ts'
import { dotted } from '../shared/dotted.ts'
import type { SearchViewProps } from '../shared/frame/search.tsx'
import * as icons from '../shared/icons.ts'
import { type Group, type Results, Search } from '../shared/search/search.tsx'
import { state } from '../shared/sign-in/session.ts'
import { Time } from '../shared/time/time.tsx'
import type { CatalogModel } from './catalog.ts'
import { lookedWith } from './look-with-key.tsx'
import { newestOwn, readOwn } from './requests/read-own.ts'
import * as frameText from './texts/frame.tsx'
import * as text from './texts/search.tsx'

/** Finds the account's own keys and requests, and models. */
export default function PublicSearch({ pages }: SearchViewProps) {
  const find = useMemo(finder, [])
  return <Search hint={text.hint} pages={pages} find={find} />
}

/** A search over lists that it reads once, so that typing does not read them again. */
function finder(): (typed: string) => Promise<Results> {
  let lists: Promise<Lists> | undefined
  return async typed => {
    lists ??= readLists()
    try {
      const { keys, requests, models } = await lists
      const isListed = requests.some(({ id }) => id === typed)
      const older = isIn() && REQUEST_ID.test(typed) && !isListed ? await readOwn(typed) : undefined
      return { groups: groupsOf({ keys, models, requests: older ? [older] : requests }, typed.toLowerCase()) }
    } catch (error) {
      lists = undefined
      throw error
    }
  }
}

interface Lists {
  readonly keys: readonly OwnKey[]
  /** The newest. */
  readonly requests: readonly OwnRequest[]
  readonly models: readonly CatalogModel[]
}

async function readLists(): Promise<Lists> {
  const [keys, requests, models] = await Promise.all([
    isIn() && lookedWith.value === undefined ? ask<{ readonly data: Lists['keys'] }>('/v1/keys/developer') : NONE,
    isIn() ? newestOwn(100) : NONE,
    askOpen<{ readonly data: Lists['models'] }>('/v1/models'),
  ])
  return { keys: keys.data, requests: requests.data, models: models.data }
}

const NONE = { data: [] }
const REQUEST_ID = /^req_[0-9A-Z]{26}$/

const isIn = (): boolean => state.value === 'in'

function groupsOf({ keys, requests, models }: Lists, word: string): readonly Group[] {
  const has = (...texts: readonly (string | null)[]) => texts.join('\n').toLowerCase().includes(word)
  return [
    {
      title: frameText.titles.keys,
      hits: keys
        .filter(({ id, name, key }) => has(id, name, key))
        .slice(0, MOST)
        .map(({ id, name, key, status }) => ({
          key: id,
          icon: icons.key,
          title: (
            <>
              {name !== null && <bdi>{name} </bdi>}
              <code>{key}</code>
            </>
          ),
          ...(status !== 'active' && { note: status }),
          to: 'keys',
        })),
    },
    {
      title: frameText.titles.requests,
      hits: requests
        .filter(({ id, asked, model, code, type }) => has(id, asked, model, code, type))
        .slice(0, MOST)
        .map(({ id, at, status, asked, model, code, type }) => ({
          key: id,
          icon: icons.list,
          title: <code>{id}</code>,
          note: dotted([...[status, type ?? code, asked ?? model].filter(Boolean), <Time key="at" at={at} />]),
          to: 'requests',
          query: { id },
        })),
    },
    {
      title: frameText.titles.models,
      hits: models
        .filter(({ id, kind }) => has(id, kind))
        .slice(0, MOST)
        .map(({ id, kind }) => ({
          key: id,
          icon: icons.cube,
          title: <code>{id}</code>,
          note: kind,
          to: 'models',
          query: { find: id },
        })),
    },
  ]
}

/** The most hits of each kind. */
const MOST = 5
