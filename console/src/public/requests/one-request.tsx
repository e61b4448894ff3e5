import type { ErrorList } from '../../../../src/wire/errors/list.ts'
import { askOpen } from '../../shared/api.ts'
import { Link } from '../../shared/frame/link.tsx'
import { useResource } from '../../shared/resource.ts'
import { Empty, Header, Loaded } from '../../shared/states.tsx'
import * as text from '../texts/requests.tsx'
import { useKeyNames } from './key-names.ts'
import { readOwn } from './read-own.ts'
import { RequestDetail } from './request-detail.tsx'
import { Status } from './request-row.tsx'

/** One request at an address of its own, which can be sent on. */
export function OneRequest({ id }: { readonly id: string }) {
  const request = useResource(async () => (await readOwn(id)) ?? null)
  const docs = useResource<ErrorList>(() => askOpen('/docs/errors.json'))
  const nameOf = useKeyNames()
  return (
    <>
      <Header title={text.request}>
        <Link to="requests" keys="Escape">
          {text.allRequests}
        </Link>
      </Header>
      <Loaded of={request}>
        {found =>
          found === null ? (
            <Empty fact={text.noSuch}>
              <p class="muted">{text.noSuchYet}</p>
            </Empty>
          ) : (
            <div class="box pad stack">
              <p>
                <Status request={found} /> <code>{found.asked ?? found.model}</code>
              </p>
              <RequestDetail request={found} docs={docs.data} keyName={nameOf(found.key)} />
            </div>
          )
        }
      </Loaded>
    </>
  )
}
