// Fails if a link of a built page leads to no file, or to no anchor of a page
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

const dist = join(import.meta.dirname, 'dist')
const base = process.env.SITE_BASE ?? '/'

const pages = readdirSync(dist, { recursive: true })
  .filter((file) => file.endsWith('.html') && !file.startsWith('api/'))
const html = Object.fromEntries(pages.map((page) => [page, readFileSync(join(dist, page), 'utf8')]))

function fault(page, link) {
  const [path, anchor] = decodeURI(link).replaceAll('&amp;', '&').split('#')
  if (path.startsWith('/') && !path.startsWith(base)) {
    return 'leaves the site'
  }
  let file = !path ? page : path.startsWith('/') ? path.slice(base.length) : join(dirname(page), path)
  if (!file || file.endsWith('/')) {
    file += 'index.html'
  }
  if (!existsSync(join(dist, file)) || !statSync(join(dist, file)).isFile()) {
    return 'no such file'
  }
  return anchor && html[file] && !html[file].includes(`id="${anchor}"`) ? 'no such anchor' : undefined
}

let links = 0
const faults = []
for (const page of pages) {
  for (const [, link] of html[page].matchAll(/\s(?:href|src)="([^"]+)"/g)) {
    if (/^[a-z]+:/.test(link)) {
      continue
    }
    links++
    const found = fault(page, link)
    if (found) {
      faults.push(`${page}: ${link} (${found})`)
    }
  }
}
console.log(`${pages.length} pages, ${links} internal links, ${faults.length} dead`)
if (faults.length > 0 || pages.length === 0) {
  console.error([...new Set(faults)].join('\n'))
  process.exit(1)
}
