import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DefaultTheme, defineConfig } from 'vitepress'

/** The pages, as scripts/docs.js copies them: by their paths in the repository. */
const root = fileURLToPath(new URL('../pages', import.meta.url))
const textOf = (page: string) => readFileSync(join(root, 'docs', page), 'utf8')

/** The path that a page of the repository has on the site: pages of docs/ stand at the top. */
const pathOf = (file: string) => file.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1overview.md')

/** A link of a file as one of the site. */
function linkOf(href: string, file: string): string {
  const [path = '', anchor] = href.split('#')
  return `/${pathOf(relative(root, join(dirname(file), path)))}${anchor ? `#${anchor}` : ''}`
}

/**
 * The site of docs/, made of the pages that the repository has, as they are. `npm run docs` builds and serves it; nothing
 * is fetched by a browser that reads it. A link that leads nowhere fails the build.
 */
export default defineConfig({
  title: 'svc-gateway',
  description: 'An inference gateway as a declarative, policy-driven proxy',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
  srcDir: 'pages',
  rewrites: pathOf,
  cleanUrls: true,
  // Of the diagrams' library, which only pages that have a diagram load.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  markdown: {
    // As GitHub names headings, so that links within the repository hold on both.
    anchor: {
      slugify: title =>
        title
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .replace(/\s/g, '-'),
    },
    config: md => {
      md.core.ruler.push('links of the repository', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === 'link_open' ? token.attrGet('href') : null
          if (href && !/^(\w+:|#)/.test(href)) token.attrSet('href', linkOf(href, env.realPath ?? env.path))
        }
      })
      const { fence } = md.renderer.rules
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info = '', content = '' } = tokens[index] ?? {}
        if (info === 'mermaid') return `<FlowDiagram text="${encodeURIComponent(content)}" />`
        return fence?.(tokens, index, ...rest) ?? ''
      }
    },
  },
  themeConfig: {
    search: { provider: 'local', options: { miniSearch: { searchOptions: { boostDocument: weightOf } } } },
    outline: [2, 3],
    docFooter: { prev: false, next: false },
    nav: [
      { text: 'API', link: '/api' },
      { text: 'YAML', link: '/configuration' },
      { text: 'svcctl', link: '/svcctl' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: groupsOfIndex(),
  },
})

/**
 * Ranks pages of tasks before reference, and records of decisions and changes last. It is sent to browsers as text, so it
 * must know nothing but its argument.
 */
function weightOf(page: string): number {
  if (/^\/(how-to\/|tutorial|getting-started)/.test(page)) return 4
  return /^\/(decisions\/|CHANGELOG|CONTRIBUTING|internals\/|src\/|console\/|importers\/)/.test(page) ? 0.3 : 1
}

/** A group for each bold line of docs/index.md, with the pages of the table under it by their own titles. */
function groupsOfIndex(): DefaultTheme.SidebarItem[] {
  const [, ...groups] = textOf('contents.md').split(/^\*\*(.+)\*\*$/m)
  return groups.flatMap((text, index) => {
    if (index % 2 === 1) return []
    const pages = Array.from((groups[index + 1] ?? '').matchAll(/^\| \[.*?\]\((.+?\.md)\)/gm), ([, page = '']) => page)
    return [{ text, collapsed: false, items: pages.map(itemOf) }]
  })
}

function itemOf(page: string): DefaultTheme.SidebarItem {
  const [, title = page] = /^# (.+)$/m.exec(textOf(page)) ?? []
  return { text: title.replaceAll('`', ''), link: `/${pathOf(join('docs', page)).replace(/\.md$/, '')}` }
}
