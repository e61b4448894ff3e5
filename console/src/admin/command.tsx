import { Copy } from '../shared/copy.tsx'

/** A command of svcctl that does or shows the same. */
export const Command = ({ text }: { readonly text: string }) => (
  <div class="value command">
    <code>{text}</code>
    <Copy value={text} what="Command" />
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
    {file !== undefined && (
      <span>
        From <code>{file}</code>
      </span>
    )}
    <span>
      The same in a terminal: <code>{command}</code>
    </span>
    <Copy value={command} what="Command" quiet />
  </footer>
)
