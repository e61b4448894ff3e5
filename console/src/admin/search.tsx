import type { Found } from '../../../src/wire/admin/search.ts'
import { ask } from '../shared/api.ts'
import { boot } from '../shared/boot.ts'
import { dotted } from '../shared/dotted.ts'
import { Link } from '../shared/frame/link.tsx'
import type { SearchViewProps } from '../shared/frame/search.tsx'
import * as icons from '../shared/icons.ts'
import { type Group, type Results, Search } from '../shared/search/search.tsx'
import { Time } from '../shared/time/time.tsx'
import { quoted } from './shell.ts'
import * as frameText from './texts/frame.tsx'
import * as text from './texts/search.tsx'

/** Finds accounts, keys, requests, models and pools. */
const AdminSearch = ({ pages }: SearchViewProps) => <Search hint={text.hint} pages={pages} find={find} />

export default AdminSearch

async function find(typed: string): Promise<Results> {
  const found = await ask<Found>('/admin/search', { text: typed })
  return { groups: groupsOf(found), ...(found.partial && { note: <MayBeMore typed={typed} /> }) }
}

/** Names what looks further than a search does. Keys stay out of addresses. */
const MayBeMore = ({ typed }: { readonly typed: string }) => (
  <>
    {text.thereMayBeMore}{' '}
    {KEY.test(typed) ? (
      text.findAnyKey(`svcctl keys show ${quoted(typed)}`)
    ) : (
      <Link to="accounts" query={{ find: typed }}>
        {text.lookThroughAllAccounts}
      </Link>
    )}
  </>
)

/** The beginning of an id or of a value. */
const KEY = new RegExp(`^(?:key|${boot.brand})_`)

function groupsOf({ accounts, keys, requests, models, pools }: Found): readonly Group[] {
  return [
    {
      title: frameText.accounts,
      hits: accounts.map(({ account, label, frozen }) => ({
        key: account,
        icon: icons.person,
        title: <bdi>{label}</bdi>,
        note: dotted([...(frozen ? [text.frozen] : []), ...(label === account ? [] : [account])]),
        to: 'accounts',
        query: { id: account },
      })),
    },
    {
      title: text.keys,
      hits: keys.map(({ id, name, key, status, account, label }) => ({
        key: id,
        icon: icons.key,
        title: (
          <>
            {name !== null && <bdi>{name} </bdi>}
            <code>{key}</code>
          </>
        ),
        note: dotted([...(status === 'active' ? [] : [status]), <bdi key="label">{label}</bdi>]),
        to: 'accounts',
        query: { id: account, key: id },
      })),
    },
    {
      title: frameText.requests,
      hits: requests.map(({ request_id, at, status, model, label }) => ({
        key: request_id,
        icon: icons.list,
        title: <code>{request_id}</code>,
        note: dotted([
          ...(status === null ? [] : [status]),
          ...[model, label].filter(Boolean),
          <Time key="at" at={at} />,
        ]),
        to: 'requests',
        query: { id: request_id },
      })),
    },
    {
      title: text.models,
      hits: models.map(({ model, alias_of }) => ({
        key: model,
        icon: icons.cube,
        title: <code>{model}</code>,
        ...(alias_of !== null && { note: text.aliasOf(alias_of) }),
        to: '',
        query: { model: alias_of ?? model },
      })),
    },
    {
      title: frameText.pools,
      hits: pools.map(pool => ({
        key: pool,
        icon: icons.server,
        title: <code>{pool}</code>,
        to: 'pools',
        query: { find: pool },
      })),
    },
  ]
}
