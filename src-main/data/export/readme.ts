/** The README of the export: how to build the site, and what each folder contains. */
export const readme = `# Your Porchlight export

This folder builds with Hugo, Jekyll or Eleventy as it is. In this folder, run one of these commands:

- \`hugo\` (0.110 or newer) writes the site to \`public\`.
- \`jekyll build\` (4.0 or newer) writes it to \`_site\`.
- \`npx @11ty/eleventy\` (3.0 or newer) writes it to \`_site\`.

To use the posts in a site of your own, copy the folders in \`content\`, and \`media\`, to that site.

## Folders

- \`content/_posts\`: your public posts. Each file starts with its title, date, tags, photos and links.
- \`content/_unlisted\`: posts that have a page but are in no list.
- \`drafts\` and \`private\`: posts that no command builds. Move a file to \`content/_posts\` and delete its \`draft\` and
  \`published\` lines to publish it.
- \`media\`: your files. A build publishes all of them, also those of drafts and private posts.
- \`porchlight\`: the data behind the site, which no command builds.
  - \`posts.json\`: every post with all properties, exactly as it was posted, its former paths and its earlier versions.
  - \`media.json\`: the original name, type and upload time of each file.
  - \`mentions.jf2.json\`: your webmentions, hidden and private ones too (see \`porchlight-status\` and \`wm-private\`).
  - \`mentions.json\`: the same mentions with everything that Porchlight knows about them.
  - \`pages.json\`: the pages of your site, in Markdown.
  - \`profile.json\`: your profile.
  - \`export.json\`: the address of your site, and the time of the export.

Porchlight imports this folder, or a zip of it, with “Import posts”. It takes posts, files, mentions and pages from
\`porchlight\` and \`media\`, and ignores everything else.

The export leaves out deleted posts. Generators skip a scheduled post until its date.
The other files are settings and layouts for the generators. Change them as you like.
`;
