// SPDX-License-Identifier: MIT

// Search: shows only what has all words in it, at the side and on the page. The page is whole
// without it.
(function () {
  'use strict';
  var box = document.getElementById('search');
  var hits = document.getElementById('hits');
  var folds = Array.from(document.querySelectorAll('nav details'));
  var wasOpen = folds.map(function (fold) { return fold.open; });
  var entries = Array.from(document.querySelectorAll('main article, main tr[id], main li[id]'));
  var texts = entries.map(function (entry) {
    // A tag is found by what is said about it, and by the tags below it.
    return entry.textContent.toLowerCase();
  });

  function matches(text, words) {
    return words.every(function (word) { return text.includes(word); });
  }

  function search() {
    var words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    var found = 0;
    entries.forEach(function (entry, i) {
      entry.hidden = !matches(texts[i], words);
      found += entry.hidden || entry.querySelector('tr[id], li[id]') ? 0 : 1;
    });
    document.querySelectorAll('main section').forEach(function (section) {
      section.hidden = words.length > 0 && !section.querySelector('article:not([hidden])');
    });
    folds.forEach(function (fold, i) {
      var shown = 0;
      fold.querySelectorAll('li').forEach(function (item) {
        item.hidden = !matches(item.textContent.toLowerCase(), words);
        shown += item.hidden ? 0 : 1;
      });
      fold.hidden = words.length > 0 && shown === 0;
      fold.open = words.length > 0 || wasOpen[i];
    });
    hits.textContent = words.length > 0 ? found + (found === 1 ? ' entry' : ' entries') : '';
  }

  box.closest('[hidden]').hidden = false;
  box.addEventListener('input', search);
  box.addEventListener('keydown', function (event) {
    var first = document.querySelector('nav li:not([hidden]) a');
    if (event.key === 'Enter' && first) {
      first.click();
    } else if (event.key === 'Escape') {
      box.value = '';
      search();
    }
  });
  document.addEventListener('keydown', function (event) {
    if (event.key === '/' && document.activeElement !== box && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      box.focus();
    }
  });
  // A link leads to what may be hidden.
  document.addEventListener('click', function (event) {
    var link = event.target.closest('a[href^="#"]');
    var entry = link && document.getElementById(link.getAttribute('href').slice(1));
    if (entry && entry.closest('[hidden]')) {
      box.value = '';
      search();
    }
  });
  search(); // what the browser kept in the box
})();
