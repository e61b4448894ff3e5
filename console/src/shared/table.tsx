import type { ComponentChildren } from 'preact'

export interface Column {
  readonly title: string
  /** Set for numbers, which stand to the right. */
  readonly num?: true
  /** Left out where there is little room. */
  readonly narrow?: true
  /** Said to readers of screens alone. */
  readonly hidden?: true
}

interface TableProps {
  /** Digits of numbers have one width, so that they stand below each other. */
  readonly figures?: true
  /** The name of its rows. */
  readonly label: string
  readonly columns: readonly Column[]
  /** Rows, or bodies with rows. */
  readonly children: ComponentChildren
}

/** A table that scrolls by itself, with a head. */
export const Table = ({ label, columns, figures, children }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
  <section class={`box scroll table ${figures ? 'figures' : ''}`} aria-label={label} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {columns.map(({ title, num, narrow, hidden }) => (
            <th key={title} scope="col" class={`${num ? 'num' : ''} ${narrow ? 'narrow' : ''}`}>
              {hidden ? <span class="hidden">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      {children}
    </table>
  </section>
)
