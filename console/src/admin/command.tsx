import { Fragment } from 'preact'
import { Copy } from '../shared/copy.tsx'
import * as text from './texts/frame.tsx'

/** A command of svcctl that does or shows the same. */
export const Command = ({ text: command }: { readonly text: string }) => (
  <div class="value command">
    <code>{wordsOf(command)}</code>
    <Copy value={command} what={text.command} />
  </div>
)

interface OriginProps {
  /** Where in the files what is shown was written: `policies/pools.yaml:12`. */
  readonly file?: string | undefined
  readonly command: string
}

/** Under a page: where its facts come from, and the command that shows the same. */
export const Origin = ({ file, command }: OriginProps) => (
  <footer class="origin small muted">
    {file !== undefined && <span>{text.fromIt(file)}</span>}
    <span>{text.theSame(wordsOf(command))}</span>
    <Copy value={command} what={text.command} quiet />
  </footer>
)

/** A line of a command ends between two words, and never within a flag or an id that fits into one. */
const wordsOf = (command: string) =>
  command.split(' ').map((word, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: words of a command may be the same, and none moves
    <Fragment key={at}>
      {at > 0 && ' '}
      <span class="word">{word}</span>
    </Fragment>
  ))
