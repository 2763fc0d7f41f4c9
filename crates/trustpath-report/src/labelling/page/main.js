const data = JSON.parse(document.getElementById('data').textContent);
