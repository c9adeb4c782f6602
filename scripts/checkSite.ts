import { brokenLinks } from './siteLinks.js'

// The last step of `npm run docs`.
const { followed, broken } = brokenLinks('docs/api')
for (const link of broken) console.error(`docs: a link that leads nowhere [${link}]`)
if (broken.length > 0) process.exitCode = 1
else console.log(`docs: ${followed} links inside the site lead somewhere`)
