<%@ page contentType="text/html;charset=UTF-8" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<!DOCTYPE html>
<html lang="en">
<head><title>Orders</title></head>
<body>
<p id="message"><c:out value="${message}"/></p>
<ul><c:forEach var="item" items="${items}"><li><c:out value="${item}"/></li></c:forEach></ul>
</body>
</html>
