import type { ShownFileDiff } from '../../../../src/wire/admin/revision-diff.ts'
import * as text from '../texts/revisions.tsx'
import { type Pair, partsOf } from './line-diff.ts'

/** The lines of a file that differ, side by side. */
export function FileTexts({ file: { file, from, to } }: { readonly file: ShownFileDiff }) {
  const parts = partsOf(from, to)
  const what = from === null ? text.whichIsNew : to === null ? text.whichIsGone : ''
  return (
    <section>
      <h2>
        <code>{file}</code>
        {what}
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="box scroll table texts" aria-label={text.linesOfBefore(file)} tabIndex={0}>
        <table>
          <colgroup>
            <col class="number" />
            <col />
            <col class="number" />
            <col />
          </colgroup>
          <thead>
            <tr>
              {[text.line, text.before, text.line, text.after].map((title, at) => (
                <th key={at < 2 ? `${title} 1` : `${title} 2`} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          {parts.map(pairs => (
            <tbody key={`${pairs[0]?.from?.number} ${pairs[0]?.to?.number}`}>
              {pairs.map(pair => (
                <Row key={`${pair.from?.number} ${pair.to?.number}`} pair={pair} />
              ))}
            </tbody>
          ))}
        </table>
      </section>
    </section>
  )
}

function Row({ pair: { from, to } }: { readonly pair: Pair }) {
  const isSame = from?.text === to?.text
  return (
    <tr class={isSame ? 'same' : ''}>
      <td class="num">{from?.number}</td>
      <td class={isSame ? '' : from ? 'gone' : 'none'}>{from?.text}</td>
      <td class="num">{to?.number}</td>
      <td class={isSame ? '' : to ? 'come' : 'none'}>{to?.text}</td>
    </tr>
  )
}
