import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

/** Puts the text of a style sheet in the place of the call that reads it (src-main/http/style-sheet.ts). */
export const styleSheets: Plugin = {
  name: 'style-sheets',
  enforce: 'pre',
  transform: {
    filter: { id: /\/src-main\/.*\.ts$/, code: 'styleSheet(' },
    handler: (code, id) => ({
      code: code.replace(/styleSheet\(import\.meta\.dirname, '([^']+)'\)/g, (_call, name: string) =>
        JSON.stringify(readFileSync(join(dirname(id), name), 'utf8')),
      ),
      map: null,
    }),
  },
};
