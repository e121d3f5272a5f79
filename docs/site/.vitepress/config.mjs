import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
const repository = 'https://github.com/idempotency-dev/idempotency-spring-boot'
const version = process.env.SITE_VERSION ?? 'main'
const generated = join(root, 'docs/site/public')

// The Javadoc of each module, if the script "build" has made it
const javadoc = existsSync(join(generated, 'api'))
  ? [{ text: 'Javadoc', items: readdirSync(join(generated, 'api')).sort()
      .map((module) => ({ text: module, link: `/api/${module}/index.html`, target: '_blank' })) }]
  : []

// The pages of the site; a README is the page of its folder
const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'benchmarks/', 'examples/', 'docs/']
const folders = ['README.md', 'docs/README.md', 'benchmarks/README.md']

const isPage = (file) => file.endsWith('.md') && pages.some((page) => file.startsWith(page))

// As GitHub makes anchors of headings, so that one link works in both places
const slugify = (heading) => heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')

// The index of the documentation is the navigation: its headings, and their links
function sidebar() {
  const sections = readFileSync(join(root, 'docs/README.md'), 'utf8').split(/^## /m).slice(1)
  return sections.map((section) => ({
    text: section.slice(0, section.indexOf('\n')),
    collapsed: false,
    items: [...section.matchAll(/\[([^\]]+)]\(([^)]+)\)/g)]
      .map(([, text, link]) => ({ text, file: relative(root, resolve(root, 'docs', link)) }))
      .filter(({ file }) => isPage(file))
      .map(({ text, file }) => ({ text: text[0].toUpperCase() + text.slice(1), link: '/' + file.replace(/\.md$/, '') })),
  }))
}

// Markdown links lead to files of the repository: to a page, or to the file where the repository is read
function links(md) {
  md.core.ruler.push('links', ({ env, tokens }) => {
    for (const token of tokens.flatMap((block) => block.children ?? [])) {
      const href = token.type === 'link_open' && token.attrGet('href')
      if (!href || /^(#|[a-z]+:)/.test(href)) {
        continue
      }
      const [path, anchor] = href.split('#')
      const page = join(root, Object.entries(rewrites).find(([, to]) => to === env.relativePath)?.[0] ?? env.relativePath)
      const file = relative(root, resolve(dirname(page), path))
      if (!existsSync(join(root, file))) {
        throw new Error(`${relative(root, page)} links to ${href}, which does not exist`)
      }
      const target = isPage(file) ? '/' + (rewrites[file] ?? file) : `${repository}/blob/main/${file}`
      token.attrSet('href', anchor ? `${target}#${anchor}` : target)
    }
  })
}

function diagrams(md) {
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, index, ...rest) => (tokens[index].info.trim() === 'mermaid')
    ? `<Diagram code="${encodeURIComponent(tokens[index].content)}"/>` : fence(tokens, index, ...rest)
}

// The pages are above node_modules, so that Vue is not found from them
const vue = {
  name: 'vue-of-the-site',
  enforce: 'pre',
  resolveId: (id, importer, { ssr }) => (ssr && /^vue(\/|$)/.test(id)) ? { id, external: true } : null,
}

// A page is compiled as a Vue template, in which two braces are an expression
function text(md) {
  for (const rule of ['text', 'code_inline']) {
    const render = md.renderer.rules[rule]
    md.renderer.rules[rule] = (...args) => render(...args).replace(/^\[ ] /, '☐ ').replaceAll('{{', '&#123;&#123;')
  }
}

const rewrites = Object.fromEntries(folders.map((file) => [file, file.replace('README', 'index')]))

export default defineConfig({
  title: 'Idempotency for Spring Boot',
  description: 'Retries that are safe: one effect, and the same answer each time',
  base: process.env.SITE_BASE ?? '/',
  srcDir: root,
  outDir: join(root, 'docs/site/dist'),
  cacheDir: join(root, 'docs/site/node_modules/.cache'),
  srcExclude: ['!(docs|benchmarks|examples)/**/*.md', 'docs/site/**', '**/target/**'],
  rewrites,
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    html: false,
    languageAlias: { jsp: 'html' },
    anchor: { slugify },
    config: (md) => md.use(links).use(diagrams).use(text),
  },
  vite: { publicDir: generated, plugins: [vue] },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Quick start', link: '/' },
      { text: 'Documentation', link: '/docs/' },
      ...javadoc,
      { text: version, items: [
        { text: 'Changelog', link: '/CHANGELOG' },
        { text: 'All versions', link: 'https://idempotency.dev/versions.html' },
      ] },
    ],
    sidebar: sidebar(),
    socialLinks: [{ icon: 'github', link: repository }],
    editLink: { pattern: `${repository}/edit/main/:path`, text: 'Edit this page' },
    footer: { message: 'Apache License 2.0' },
  },
})
