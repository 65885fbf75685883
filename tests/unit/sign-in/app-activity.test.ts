import { expect, test } from 'vitest';
import { createAppActivity } from '../../../src-main/sign-in/owner.ts';
import type { AdoptedPost } from '../../../src-main/posts/post-store.ts';

test('an app’s change of a post that was already in the folder is named by its title, or else its file', () => {
  const recorded: string[] = [];
  const activity = createAppActivity(
    { pass: ({ words, more }) => Promise.resolve(void recorded.push(words, more(1), more(3))) },
    () => 'https://porch.example',
    () => 0,
  );
  const post: AdoptedPost = {
    type: ['h-entry'],
    properties: { name: ['Fog\n at sea'] },
    status: 'published',
    visibility: 'public',
    createdAt: new Date(0).toISOString(),
    url: 'https://me.example/fog/',
    file: 'content/fog.md',
  };
  void activity.editedFile(post, 'Quill');
  void activity.editedFile({ ...post, properties: {} }, 'Quill');
  expect(recorded).toEqual([
    'Quill updated a post in your site’s folder: “Fog at sea”',
    'Quill updated 1 more post in your site’s folder.',
    'Quill updated 3 more posts in your site’s folder.',
    'Quill updated a post in your site’s folder: “content/fog.md”',
    'Quill updated 1 more post in your site’s folder.',
    'Quill updated 3 more posts in your site’s folder.',
  ]);
});
