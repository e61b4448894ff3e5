import { useEffect, useRef } from 'preact/hooks'
import type { ShownKey } from '../../../../src/wire/admin/key.ts'
import { query } from '../../shared/frame/router.ts'
import { State } from '../../shared/state.tsx'
import { Table } from '../../shared/table.tsx'
import { Time } from '../../shared/time/time.tsx'
import { may } from '../api/who.ts'
import * as text from '../texts/keys.tsx'
import type { Asked } from './dialogs.tsx'

interface KeysProps {
  readonly keys: readonly ShownKey[]
  readonly isDevice: boolean
  readonly onAsk: (asked: Asked) => void
}

/** The keys of an account, masked: those that work first. */
export const AccountKeys = ({ keys, isDevice, onAsk }: KeysProps) => (
  <section>
    <div class="split end-line">
      <h2>{text.keys}</h2>
      {!isDevice && may('support') && (
        <button type="button" onClick={() => onAsk({ what: 'mint' })}>
          {text.mintKey}
        </button>
      )}
    </div>
    {keys.length === 0 ? (
      <p class="muted">{text.itHasNoKey}</p>
    ) : (
      <Table
        label={text.keys}
        columns={[
          { title: text.key },
          { title: text.state },
          { title: text.created, narrow: true },
          { title: text.lastUsed, narrow: true },
          { title: text.ends, narrow: true },
          { title: text.actions, hidden: true },
        ]}
      >
        <tbody>
          {[...keys.filter(isActive), ...keys.filter(key => !isActive(key))].map(key => (
            <Row key={key.id} shown={key} isDevice={isDevice} onAsk={onAsk} />
          ))}
        </tbody>
      </Table>
    )}
  </section>
)

const isActive = ({ status }: ShownKey): boolean => status === 'active'

interface RowProps {
  readonly shown: ShownKey
  readonly isDevice: boolean
  readonly onAsk: (asked: Asked) => void
}

function Row({ shown: key, isDevice, onAsk }: RowProps) {
  const { name, key: mask, status, created, last_used, expires, replaced_by } = key
  const place = useRef<HTMLTableRowElement>(null)
  const isFound = query.value.get('key') === key.id
  useEffect(() => {
    if (isFound) place.current?.scrollIntoView({ block: 'center' })
  }, [isFound])
  return (
    <tr ref={place} class={`${isActive(key) ? '' : 'off'} ${isFound ? 'found' : ''}`}>
      <td>
        {name !== null && (
          <>
            <bdi>{name}</bdi>{' '}
          </>
        )}
        <code>{mask}</code>
        {narrowed(key).map(text => (
          <p key={text} class="small muted anywhere">
            <bdi>{text}</bdi>
          </p>
        ))}
      </td>
      <td>
        <State tone={isActive(key) ? 'ok' : ''}>{status}</State>
        {replaced_by !== null && isActive(key) && <p class="small muted">{text.replacedWorksOn}</p>}
      </td>
      <td class="narrow">
        <Time at={created * 1000} />
      </td>
      <td class="narrow">{last_used === null ? text.never : <Time at={last_used * 1000} />}</td>
      <td class="narrow">{expires === null ? '–' : <Time at={expires * 1000} />}</td>
      <td class="actions">
        {isActive(key) && may('support') && (
          <div>
            {!isDevice && replaced_by === null && (
              <button type="button" onClick={() => onAsk({ what: 'rotate', key })}>
                {text.rotate}
                <span class="hidden"> {name ?? mask}</span>
              </button>
            )}
            <button type="button" class="danger" onClick={() => onAsk({ what: 'revoke', key })}>
              {text.revoke}
              <span class="hidden"> {name ?? mask}</span>
            </button>
          </div>
        )}
      </td>
    </tr>
  )
}

const narrowed = ({ models, addresses, limits, apart }: ShownKey): readonly string[] => [
  ...(models === null ? [] : [text.only(models.join(', '))]),
  ...(addresses === null ? [] : [text.fromIt(addresses.join(', '))]),
  ...(limits === null ? [] : [text.ofItsOwn(limits.length, limits.length === 1 ? 'limit' : 'limits')]),
  ...(apart ? [text.responsesApart] : []),
]
