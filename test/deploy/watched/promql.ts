import { parser } from '@prometheus-io/lezer-promql'

type SyntaxNode = ReturnType<typeof parser.parse>['topNode']

/** A series in a query. */
export interface SeriesUse {
  readonly metric: string
  /** The labels that the query matches, groups by or joins on. */
  readonly labels: readonly string[]
}

/** The series that a query reads, by the grammar of Prometheus. Throws if the query does not parse. */
export function usesIn(query: string): readonly SeriesUse[] {
  const tree = parser.parse(query)
  const uses: SeriesUse[] = []
  const textOf = (node: SyntaxNode) => query.slice(node.from, node.to)
  tree.iterate({
    enter: ({ name, type, node }) => {
      if (type.isError) throw new Error(`no PromQL at ${node.from}: ${query}`)
      if (name !== 'VectorSelector') return
      const identifier = node.getChild('Identifier')
      if (!identifier) throw new Error(`a selector without the name of a metric: ${query}`)
      uses.push({
        metric: textOf(identifier),
        labels: [...namesBelow(node.getChild('LabelMatchers')), ...groupingsAbove(node)].map(textOf),
      })
    },
  })
  return uses
}

/** The labels of the result of a query that groups by any. */
export function labelsOf(query: string): readonly string[] {
  const grouped = parser.parse(query).topNode.getChild('AggregateExpr') ?? firstOf(parser.parse(query).topNode)
  return grouped ? groupingsIn(grouped).map(node => query.slice(node.from, node.to)) : []
}

/** The first aggregation in a query with operators. */
function firstOf(node: SyntaxNode): SyntaxNode | undefined {
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.name === 'AggregateExpr') return child
    const found = firstOf(child)
    if (found) return found
  }
  return undefined
}

/** The labels that the aggregations around a selector group by, and those that it is joined on. */
function groupingsAbove(selector: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = []
  for (let node = selector.parent; node; node = node.parent) {
    if (node.name === 'AggregateExpr') found.push(...groupingsIn(node))
    const joined = node.name === 'BinaryExpr' ? node.getChild('MatchingModifierClause') : null
    if (joined?.getChild('On')) found.push(...namesBelow(joined.getChild('GroupingLabels')))
  }
  return found
}

const groupingsIn = (aggregate: SyntaxNode): readonly SyntaxNode[] =>
  namesBelow(aggregate.getChild('AggregateModifier')?.getChild('GroupingLabels') ?? null)

function namesBelow(node: SyntaxNode | null): readonly SyntaxNode[] {
  if (!node) return []
  const own = node.getChildren('LabelName')
  return [...own, ...node.getChildren('UnquotedLabelMatcher').flatMap(each => each.getChildren('LabelName'))]
}
