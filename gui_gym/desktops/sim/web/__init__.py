"""The web of the desktop: pages and sites in files, and how a page is laid out. There is no network.

A page is the file ``~/.web/SITE/PAGE``, whose first line is ``title TITLE``. Its other lines:

- ``# HEADING``, ``## HEADING``, ``- ITEM OF A LIST``, ``! NOTE``, ``---`` (a line across); any other line is a paragraph.
  Texts may hold links: ``[words](target)``. A target is ``page`` or ``page?field=value`` on the same site, ``site.example/page``,
  ``get:FILE`` (puts a file of the site into the folder Downloads) or ``do:leave`` (logs out).
- ``| CELL | CELL |``: rows of a table, the first of which is its head; after the line ``sortable`` a click on the head sorts it.
- ``image FILE.pic``: a picture of the site.
- ``items FILE``: the table in a file of the site, of which a query keeps the rows that hold all words of ``q`` and have the values of the
  columns it names, in the order of the column ``sort``. The first cell links to what the column ``page`` says.
- ``cart``: what is in the cart, and the total.
- ``members``: who is not logged in sees the page ``login`` instead.
- ``form KIND NAME TARGET`` to ``end``: a form, with lines ``field KIND ID | LABEL | OPTIONS | VALUE`` (kinds of :data:`~.pages.FIELDS`; options
  are parted by semicolons; a star after the id: must be filled in), ``hidden ID | VALUE`` and ``button LABEL``, and texts between them.

What the kinds of forms do before they go to the page ``TARGET``:

- ``send``: write the fields to a new file ``submitted/NUMBER.txt`` of the site. ``order``: this too, with what is in the cart, which is emptied.
- ``ask``: nothing; the fields are the query.
- ``next``: nothing; the fields come along and are sent by the form that is sent at last.
- ``cart``: put the fields into the cart, the file ``cart.txt``.
- ``enter``: log in as ``user`` with ``password``, if the file ``users.txt`` has them; then ``session.txt`` says who is logged in.
- ``keep``: write the fields to ``NAME.txt``, from where they are filled in when the page is opened again.
"""
