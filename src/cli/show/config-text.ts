import { Document, isMap, isScalar, isSeq, type Pair, visit, type YAMLMap } from 'yaml'
import { counted } from '../../config/format/code-frame.ts'
import { format } from '../../config/format/format.ts'
import type { Loaded } from '../../config/settings.ts'
import type { Config, Declared } from '../../policy/config.ts'
import { shownConfig } from './shown-config.ts'

/** The configuration as YAML in the style of `svcctl fmt`: behind each name where it was declared. */
export function configText(loaded: Loaded): string {
  const document = new Document(shownConfig(loaded), { aliasDuplicateObjects: false })
  visit(document, {
    // Short ones stand on one line, as people write them.
    Collection: (_, node) => {
      node.flow = isFlat(node)
    },
  })
  if (isMap(document.contents)) {
    markPlaces(document.contents, loaded.config)
    spaceOut(document.contents)
  }
  const { files, config } = loaded
  document.commentBefore = ` ${counted(files.length, 'file')}: ${files.join(', ')}\n Revision ${config.revision}`
  const text = document.toString({ lineWidth: 0 })
  return format({ file: '', path: '', text }, () => {}) ?? text
}

const MOST_FLAT = 2

/** Lists of values, and maps of one or two. */
function isFlat(node: unknown): boolean {
  if (isSeq(node)) return node.items.every(isScalar) && String(node).length < 80
  return isMap(node) && node.items.length <= MOST_FLAT && node.items.every(({ value }) => isScalar(value))
}

/** The sections whose entries were declared somewhere, by their names in the configuration. */
const DECLARED = {
  plans: 'plans',
  models: 'models',
  aliases: 'aliases',
  pools: 'pools',
  hosted_tools: 'tools',
} as const

function markPlaces(root: YAMLMap, config: Config): void {
  for (const [section, field] of Object.entries(DECLARED)) {
    const entries = root.get(section)
    if (isMap(entries)) for (const entry of entries.items) markPlace(entry, config[field])
  }
  const routes = root.get('routes')
  if (!isSeq(routes)) return
  config.routes.forEach((route, index) => {
    const name = routes.getIn([index, 'name'], true)
    if (isScalar(name)) name.comment = placeText(route)
  })
}

function markPlace({ key, value }: Pair, declared: ReadonlyMap<string, Declared>): void {
  const thing = isScalar(key) && declared.get(String(key.value))
  const node = isScalar(value) || (isMap(value) && value.flow) ? value : key
  if (thing && (isScalar(node) || isMap(node))) node.comment = placeText(thing)
}

const placeText = ({ at: { file, line } }: Declared): string => ` ${file}:${line}`

/** An empty line around each section that takes several. */
function spaceOut(root: YAMLMap): void {
  let below = false
  for (const { key, value } of root.items) {
    const isLong = (isMap(value) || isSeq(value)) && !value.flow
    if (isScalar(key) && (isLong || below)) key.spaceBefore = true
    below = isLong
  }
}
