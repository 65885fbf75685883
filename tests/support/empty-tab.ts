import { beforeEach } from 'vitest';

// Files share a worker, and a post whose saving failed is kept in the tab again at each try, also after its test. The next
// window would open the editor with it.
beforeEach(() => {
  window.localStorage.clear();
  window.sessionStorage.clear();
});
