import type { ShownRevisionLine } from '../../../../src/wire/admin/revision.ts'
import type { ShownChange, ShownRevisionDiff } from '../../../../src/wire/admin/revision-diff.ts'
import { stamp } from '../../shared/fmt.ts'
import { Link } from '../../shared/frame/link.tsx'
import { refine } from '../../shared/frame/router.ts'
import { useResource } from '../../shared/resource.ts'
import { Empty, Header, Loaded } from '../../shared/states.tsx'
import { diffRevisions } from '../api/revisions.ts'
import { Command } from '../command.tsx'
import * as text from '../texts/revisions.tsx'
import { FileTexts } from './file-texts.tsx'

interface ComparisonProps {
  readonly kept: readonly ShownRevisionLine[]
  readonly from: number
  readonly to: number
}

/** The changes from one revision to another: in meaning, and in the texts. */
export function Comparison({ kept, from, to }: ComparisonProps) {
  const diff = useResource(() => diffRevisions(from, to))
  const back = [from, to].find(number => kept.some(each => each.number === number && !each.serves))
  return (
    <>
      <Header
        title={text.revisionTo(from, to)}
        aside={
          <div class="filters">
            <Choice label={text.fromIt} kept={kept} value={from} onChoose={number => go(number, to)} />
            <Choice label={text.to} kept={kept} value={to} onChoose={number => go(from, number)} />
            <button type="button" onClick={() => go(to, from)}>
              {text.swap}
            </button>
          </div>
        }
      >
        {text.whatClientsFeel(<Link to="revisions">{text.allRevisions}</Link>)}
      </Header>
      <Loaded of={diff}>{found => <Found diff={found} />}</Loaded>
      {back !== undefined && (
        <section>
          <h2>{text.haveRevisionServeAgain(back)}</h2>
          <p class="muted">{text.itSays}</p>
          <Command text={`svcctl rollback ${back}`} />
        </section>
      )}
    </>
  )
}

const go = (from: number, to: number) => refine({ from: String(from), to: String(to) })

interface ChoiceProps {
  readonly label: string
  readonly kept: readonly ShownRevisionLine[]
  readonly value: number
  readonly onChoose: (number: number) => void
}

const Choice = ({ label, kept, value, onChoose }: ChoiceProps) => (
  <select aria-label={label} value={String(value)} onChange={event => onChoose(Number(event.currentTarget.value))}>
    {kept.every(({ number }) => number !== value) && <option>{value}</option>}
    {kept.map(({ number, at, serves }) => (
      <option key={number} value={String(number)}>
        {`${label} ${number}, ${serves ? text.servesNow : stamp(at)}`}
      </option>
    ))}
  </select>
)

function Found({ diff: { changes, texts_only, not_compared, files } }: { readonly diff: ShownRevisionDiff }) {
  return (
    <>
      {not_compared.length > 0 && <p class="note">{text.valuesThatThisGateway(not_compared.join(', '))}</p>}
      {changes.length === 0 ? (
        <Empty fact={text.noChangeInMeaning}>
          <p class="muted">{texts_only ? text.onlyTheTextsDiffer : text.bothAreTheSame}</p>
        </Empty>
      ) : (
        <section>
          <h2>{text.changes(changes.length)}</h2>
          <p class="muted">{sumsOf(changes)}</p>
          <ul class="box changes">
            {changes.map(change => (
              <Change key={`${change.subject} ${change.field} ${change.text}`} change={change} />
            ))}
          </ul>
        </section>
      )}
      {files.map(file => (
        <FileTexts key={file.file} file={file} />
      ))}
    </>
  )
}

const Change = ({ change: { kind, text, file, line } }: { readonly change: ShownChange }) => (
  <li class={`change ${kind}`}>
    <span class="sign" title={KINDS[kind].word}>
      <span aria-hidden="true">{KINDS[kind].sign}</span>
      <span class="hidden">{KINDS[kind].word}:</span>
    </span>
    <span>
      <bdi>{text}</bdi>
    </span>
    <code class="muted">
      {file}:{line}
    </code>
  </li>
)

/** The signs and words of svcctl plan. */
const KINDS = {
  lost: { sign: '✗', word: text.takenAway },
  less: { sign: '↓', word: text.less },
  other: { sign: '~', word: text.different },
  more: { sign: '+', word: text.more },
  plumbing: { sign: '·', word: text.unseenByClients },
} as const

const sumsOf = (changes: readonly ShownChange[]): string =>
  Object.entries(KINDS)
    .flatMap(([kind, { word }]) => {
      const count = changes.filter(change => change.kind === kind).length
      return count > 0 ? [`${count} ${word}`] : []
    })
    .join(', ')
