import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The window. Relative addresses, because the same files load from app://porchlight/ and from a loopback port.
export default defineConfig({
  root: join(import.meta.dirname, 'src-renderer'),
  base: './',
  plugins: [react()],
  build: {
    outDir: join(import.meta.dirname, 'out/renderer'),
    emptyOutDir: true,
    // The content security policy has no inline scripts, and everything comes from the disk beside it.
    modulePreload: false,
    // The notices that the licences of what is bundled ask for.
    license: { fileName: 'licenses.md' },
    chunkSizeWarningLimit: 1500,
  },
});
